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

  /// Of AdServices.
  static let appleTokenCharacters = 4_096
}
