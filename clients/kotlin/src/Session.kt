/** The stored state of one run of the client, and what its parts share. */
package dev.throughline

import kotlinx.coroutines.CoroutineScope

internal const val SDK_VERSION = "throughline-kotlin/0.1.0"

/** How long the ports of the device may take: an install without the referrer is better than none. */
private const val PORT_TIMEOUT_MS = 3_000L

internal typealias Log = (level: LogLevel, message: String) -> Unit

internal class Session(
    val state: State,
    val storage: OrderedStorage,
    val api: Api,
    val scope: CoroutineScope,
    private val limiter: Limiter,
    private val config: Config,
    val ports: Ports,
    /** False if the storage could not be read: it may hold an install that this run does not know. */
    private val isReadable: Boolean,
    val log: Log,
    val newId: () -> String,
) {
    /** False once `reset` has erased the state: answers that arrive later change nothing. */
    var isOpen = true

    val consent get() = state.consent ?: config.consent
    val mayRecord get() = isReadable && (consent == Consent.GRANTED || consent == Consent.DETERMINISTIC_ONLY)

    fun now(): Long = ports.now()

    fun save() {
        if (isOpen && isReadable) storage.set(STATE_KEY, state.toJson())
    }

    /** @return null if the port fails or takes too long. */
    suspend fun <T : Any> read(name: String, port: (suspend () -> T?)?): T? {
        if (port == null) return null
        return when (val result = limiter.within(PORT_TIMEOUT_MS, port)) {
            is Limited.Value -> result.value
            is Limited.Failed -> null.also { log(LogLevel.WARN, "Reading the $name failed: ${result.cause}") }
            is Limited.TooLate -> null.also {
                log(LogLevel.WARN, "Reading the $name took more than ${PORT_TIMEOUT_MS / 1_000} s and was given up")
            }
        }
    }

    /** The fields about the device in a call that records, as far as the person agreed. */
    suspend fun device(): JsonObject {
        val consent = consent
        val full = read("device", ports.device?.let { it::read }) ?: Fingerprint(Platform.ANDROID)
        if (consent == Consent.GRANTED) return mapOf("fingerprint" to toMap(full))
        val least = Fingerprint(full.platform)
        return mapOf("fingerprint" to toMap(least), "deterministicOnly" to true)
    }
}

private fun toMap(fingerprint: Fingerprint): JsonObject =
    mapOf(
            "platform" to fingerprint.platform.name,
            "userAgent" to fingerprint.userAgent,
            "osVersion" to fingerprint.osVersion,
            "deviceModel" to fingerprint.deviceModel,
            "screenWidth" to fingerprint.screenWidth,
            "screenHeight" to fingerprint.screenHeight,
            "screenDensity" to fingerprint.screenDensity,
            "locale" to fingerprint.locale,
            "timezone" to fingerprint.timezone,
            "appVersion" to fingerprint.appVersion,
            "sdkVersion" to SDK_VERSION,
        )
        .filterValues { it != null }
