#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines for people and logs, never for a pipe's next program.
enum StandardError {
  static func write(_ line: String) { put(line, to: STDERR_FILENO) }
}

/// What a command was asked for.
enum StandardOutput {
  static func write(_ line: String) { put(line, to: STDOUT_FILENO) }
}

/// Writes a line; a stream that nobody reads any more is none of our business.
private func put(_ line: String, to descriptor: Int32) {
  var text = line + "\n"
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
