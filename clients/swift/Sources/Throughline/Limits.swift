/// Whole numbers beyond are no longer exact in the service.
let maxWholeNumber = 9_007_199_254_740_991

/// What the service accepts. A test compares these numbers with those of the service.
enum Limits {
  static let batchEvents = 500
  static let batchFields = 50_000
  static let batchCommas = 250_000
  static let propertiesBytes = 32 * 1_024
  static let depth = 64

  /// Of names and of the IDs of users and transactions, in code points.
  static let characters = 255
  static let urlCharacters = 2_048

  /// Of the address that opened the app.
  static let openedUrlCharacters = 8_192
  static let pathCharacters = 2_048
  static let linkParamsBytes = 16 * 1_024

  /// Of the card of a link.
  static let descriptionCharacters = 1_000

  /// Of a text about the phone, and of the referrer of its store.
  static let deviceCharacters = 1_024
  static let referrerCharacters = 16_384

  /// Of a size of its screen, above and below 0.
  static let deviceSize = 1_000_000

  /// Of the text of the clipboard, with its address.
  static let tokenCharacters = 4_096

  /// Of AdServices.
  static let appleTokenCharacters = 4_096
}
