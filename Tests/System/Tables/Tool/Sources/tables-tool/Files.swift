import Glibc
import StockbusTables

struct FileProblem: Error, CustomStringConvertible {
  let description: String
}

final class OutputFile {
  private let file: UnsafeMutablePointer<FILE>
  private(set) var count = 0

  init(_ path: String) throws {
    guard let file = fopen(path, "w") else { throw FileProblem(description: "cannot open '\(path)'") }
    self.file = file
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    count += bytes.count
    if fwrite(bytes.baseAddress, 1, bytes.count, file) != bytes.count { throw FileProblem(description: "cannot write") }
  }

  func close() { fclose(file) }
}

final class InputFile {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDONLY)
    if descriptor < 0 { throw FileProblem(description: "cannot open '\(path)'") }
  }

  var source: TableSource {
    TableSource(
      length: { [self] in
        var status = stat()
        fstat(descriptor, &status)
        return Int(status.st_size)
      },
      read: { [self] buffer, offset in
        var done = 0
        while done < buffer.count {
          let count = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, offset + done)
          if count < 0 { throw FileProblem(description: "cannot read") }
          if count == 0 { break }
          done += count
        }
        return done
      })
  }
}
