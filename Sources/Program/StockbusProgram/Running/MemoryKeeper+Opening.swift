internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusRuntime

extension Topology {
  /// The memory of the run, which no other run gets until it is released; nil if the configuration asks for none. If it cannot be used, prints
  /// why and exits with status 78.
  func memoryKeeper(_ consequence: String) throws -> MemoryKeeper? {
    try memory(consequence) { path throws(MemoryFile.Failure) in try MemoryKeeper(path) }
  }

  /// What a run would get of its memory, for people; nothing if it has none. If it cannot be used, prints why and exits with status 78.
  func memoryLines() throws -> [String] {
    try memory("") { path throws(MemoryFile.Failure) in MemoryKeeper.lines(try MemoryFile.read(path), path, self) } ?? []
  }

  private func memory<Value>(_ consequence: String, _ read: (String) throws(MemoryFile.Failure) -> Value) throws -> Value? {
    guard let path = settings.memory else { return nil }
    do throws(MemoryFile.Failure) { return try read(path) } catch {
      var problems = Problems()
      problems.add("runtime: 'memory': \(error)", at: memoryMark)
      StandardError.write(ConfigArguments.report(problems, consequence))
      throw ExitStatus.config
    }
  }
}

extension MemoryKeeper {
  /// Keeps what a run that has ended leaves, and prints what cannot be kept. Returns false if the next run will not go on from there.
  func keep(what pipeline: Pipeline) -> Bool {
    guard let memory = pipeline.leftMemory else {
      StandardError.write("\(path): the run was cut off; the next one goes on at the last memory before")
      return false
    }
    do throws(MemoryFile.Failure) {
      let left = try keep(memory)
      if !left.isEmpty { StandardError.write("\(path): this cannot be written, and begins anew: \(left.joined(separator: ", "))") }
      return left.isEmpty
    } catch {
      StandardError.write("FAILED: the memory of the run was not kept: \(error)")
      return false
    }
  }
}
