#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines for people and logs, never for a pipe's next program.
enum StandardError {
  static func write(_ line: String, lineEnd: String = "\n") { put(line + lineEnd, to: STDERR_FILENO) }
}

/// What a command was asked for.
enum StandardOutput {
  static func write(_ line: String) { put(line + "\n", to: STDOUT_FILENO) }
}

/// Writes a text; a stream that nobody reads any more is none of our business.
private func put(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var done = 0
    while done < bytes.count {
      let n = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if n < 0, errno == EINTR || errno == EAGAIN { continue }
      if n <= 0 { return }
      done += n
    }
  }
}
