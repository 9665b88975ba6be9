// The proleptic Gregorian calendar in whole numbers.

func daysIn(month: Int, year: Int) -> Int {
  switch month {
  case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

/// Counts in years that begin in March, so that the leap day is the last of a year.
func daysSince1970(year: Int, month: Int, day: Int) -> Int {
  let shifted = month > 2 ? year : year - 1
  let (era, yearOfEra) = shifted.flooredDivision(by: 400)
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
  let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
  let yearOfEra =
    (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

/// Whether that minute of UTC had 61 seconds. Source: IERS Bulletin C; none was announced after 2016.
func isLeapSecond(minuteSince1970 minute: Int64) -> Bool {
  leapSecondDays.contains { day in
    let next = daysSince1970(year: day.year, month: day.month, day: day.day) + 1
    return Int64(next) * 1440 - 1 == minute
  }
}

private let leapSecondDays: [(year: Int, month: Int, day: Int)] =
  [1972, 1981, 1982, 1983, 1985, 1992, 1993, 1994, 1997, 2012, 2015].map { ($0, 6, 30) }
  + [
    1972, 1973, 1974, 1975, 1976, 1977, 1978, 1979, 1987, 1989, 1990, 1995, 1998, 2005, 2008, 2016,
  ].map { ($0, 12, 31) }

extension FixedWidthInteger {
  /// Quotient towards minus infinity, and the remainder that belongs to it.
  package func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
