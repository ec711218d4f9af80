/** What the service accepts. A test compares these numbers with those of the service. */
package dev.throughline

internal const val MAX_BATCH_EVENTS = 500
internal const val MAX_BATCH_FIELDS = 50_000
internal const val MAX_BATCH_COMMAS = 250_000
internal const val MAX_PROPERTIES_BYTES = 32 * 1024
internal const val MAX_DEPTH = 64

/** Of names and of the IDs of users and transactions, in code points. */
internal const val MAX_CHARACTERS = 255
internal const val MAX_URL_CHARACTERS = 2_048

/** Of the address that opened the app. */
internal const val MAX_OPENED_URL_CHARACTERS = 8_192
internal const val MAX_PATH_CHARACTERS = 2_048
internal const val MAX_LINK_PARAMS_BYTES = 16 * 1024

/** Of what networks on the phone tell. */
internal const val MAX_REFERRER_CHARACTERS = 16_384
internal const val MAX_META_REFERRER_CHARACTERS = 8_192

/** Of a text about the device, and of its sizes. */
internal const val MAX_DEVICE_CHARACTERS = 1_024
internal const val MAX_DEVICE_SIZE = 1_000_000

/** Of the URL with the landing page's token. */
internal const val MAX_TOKEN_CHARACTERS = 4_096

/** Of the card of a link. */
internal const val MAX_DESCRIPTION_CHARACTERS = 1_000
internal val AMOUNT = Regex("""^-?[0-9]{1,12}(\.[0-9]{1,4})?$""")
internal val CURRENCY = Regex("""^[A-Z]{3}$""")
