/// A second of UTC as ISO-8601 text, `2013-10-08T13:30:00`. A writer keeps the last one: events follow each other within one.
struct SecondText: BitwiseCopyable {
  /// Seconds since the epoch.
  let number: Int64
  /// The text, eight bytes in each word, the first in the lowest; three in the last.
  let words: (UInt64, UInt64, UInt64)

  /// No second: no time is so early.
  init() {
    number = .min
    words = (0, 0, 0)
  }

  init(_ seconds: Int64) {
    var days = seconds / 86_400
    var ofDay = seconds % 86_400
    if ofDay < 0 {
      ofDay += 86_400
      days -= 1
    }
    let day = CivilDate(daysSinceEpoch: Int(days))
    let date = ByteWriter.eightDigits(UInt64(day.year * 10_000 + day.month * 100 + day.day)) | ByteWriter.zeros
    let time = ByteWriter.eightDigits(UInt64(ofDay / 3600 * 10_000 + ofDay / 60 % 60 * 100 + ofDay % 60)) | ByteWriter.zeros
    let hyphen: UInt64 = 0x2d
    let colon: UInt64 = 0x3a
    let tee: UInt64 = 0x54
    number = seconds
    words = (
      date & 0xffff_ffff | hyphen << 32 | (date >> 32 & 0xffff) << 40 | hyphen << 56,
      date >> 48 | tee << 16 | (time >> 16 & 0xffff) << 24 | colon << 40 | (time >> 32 & 0xffff) << 48,
      colon | (time >> 48) << 8
    )
  }
}
