import StockbusTestKit

/// Programs for tests, written for the system's shell, so that nothing has to be installed.
struct Scripts {
  let folder = TemporaryFolder()

  /// A program that answers as the protocol says, except where a part is replaced.
  ///
  /// - Parameters:
  ///   - events: what it does with `$line`, whose last event is number `$n`.
  ///   - cases: further cases, which come first.
  func program(
    hello: String = #"say '{"hello":1}'"#, ready: String = #"say '{"ready":true}'"#, events: String = passing,
    drain: String = #"say '{"drained":true}'"#, cases: String = "", before: String = ""
  ) -> String {
    """
    say() { printf '%s\\n' "$1"; }
    \(before)
    while IFS= read -r line; do
      case $line in
        \(cases)
        '{"hello"'*) \(hello) ;;
        '{"start"'*) \(ready) ;;
        '{"events"'*) n=${line##*:}; n=${n%\\}}; \(events) ;;
        '{"drain"'*|'{"hand_over"'*) \(drain) ;;
      esac
    done
    """
  }

  /// Sends all events back.
  static let passing = #"say "${line%,\"last\"*}}"; say "{\"done\":$n}""#
  /// Takes all events.
  static let taking = #"say "{\"done\":$n}""#

  /// The option `run` for a program, and further options.
  func options(_ script: String, _ more: String = "") -> String {
    folder.put(script, in: "program.sh")
    return "run: [/bin/sh, \(folder.file("program.sh"))]\n" + more
  }
}
