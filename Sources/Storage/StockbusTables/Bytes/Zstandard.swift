internal import LibC

/// The system's libzstd, looked for when it is first needed, so that it need not be there, neither when stockbus is built nor where it runs.
///
/// Unchecked, because it holds functions of C only, which any thread may call.
struct Zstandard: @unchecked Sendable {
  typealias Make = @convention(c) () -> OpaquePointer?
  typealias Free = @convention(c) (OpaquePointer?) -> Int
  typealias Compress = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int, Int32) -> Int
  typealias Decompress = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int

  let makeCompressor: Make
  let freeCompressor: Free
  let compress: Compress
  let makeDecompressor: Make
  let freeDecompressor: Free
  let decompress: Decompress
  /// The most bytes that so many may become.
  let bound: @convention(c) (Int) -> Int
  let isError: @convention(c) (Int) -> UInt32

  /// Nil if the library is not there.
  static let library: Zstandard? = {
    #if os(macOS)
    let names = ["libzstd.1.dylib", "/opt/homebrew/lib/libzstd.1.dylib", "/usr/local/lib/libzstd.1.dylib"]
    #else
    let names = ["libzstd.so.1"]
    #endif
    for name in names { if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return Zstandard(library) } }
    return nil
  }()

  private init?(_ library: UnsafeMutableRawPointer) {
    // The types are those of zstd.h, stable since 1.0.
    func function<Function>(_ name: String, _: Function.Type = Function.self) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let makeCompressor = function("ZSTD_createCCtx", Make.self), let freeCompressor = function("ZSTD_freeCCtx", Free.self),
      let compress = function("ZSTD_compressCCtx", Compress.self), let makeDecompressor = function("ZSTD_createDCtx", Make.self),
      let freeDecompressor = function("ZSTD_freeDCtx", Free.self), let decompress = function("ZSTD_decompressDCtx", Decompress.self),
      let bound = function("ZSTD_compressBound", (@convention(c) (Int) -> Int).self),
      let isError = function("ZSTD_isError", (@convention(c) (Int) -> UInt32).self)
    else { return nil }
    self.makeCompressor = makeCompressor
    self.freeCompressor = freeCompressor
    self.compress = compress
    self.makeDecompressor = makeDecompressor
    self.freeDecompressor = freeDecompressor
    self.decompress = decompress
    self.bound = bound
    self.isError = isError
  }
}
