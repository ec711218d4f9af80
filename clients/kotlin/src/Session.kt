/** The state of one run of the client, and what its parts share. */
package dev.throughline

import java.util.UUID
import kotlin.coroutines.CoroutineContext
import kotlin.math.abs
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async

internal const val SDK_VERSION = "throughline-kotlin/0.1.0"

/** How long the ports of the device may take: an install without the referrer is better than none. */
private const val PORT_TIMEOUT_MS = 3_000L

/**
 * @property own runs one coroutine at a time, so that the state needs no locks. It has a thread of its own, since apps
 * block those of `Dispatchers.Default`.
 * @property io runs the ports, which may block.
 */
internal class Threads(
    @OptIn(ExperimentalCoroutinesApi::class)
    val own: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    val io: CoroutineContext = Dispatchers.IO,
)

/** What each run of a client begins with. */
internal class RunDeps(
    val config: Config,
    val ports: Ports,
    val links: LinkReader,
    val listeners: Set<(DeepLink) -> Unit>,
    val threads: Threads,
    val scope: CoroutineScope,
    val log: Log,
) {
    /** Of the storage. */
    val owner = Any()

    val random: () -> Double = ports.random ?: Math::random

    /** On any thread. */
    fun newId(): String = if (ports.random == null) UUID.randomUUID().toString() else randomId(ports.random)
}

internal class Session(private val deps: RunDeps, reset: Reset?) {
    val isTest = deps.config.key.startsWith("svc_test_")

    /** What a test key recorded is unknown to a live key: a phone that changes over is new to it. */
    val prefix = if (isTest) "throughline.test." else "throughline."
    val scope = deps.scope
    val ports = deps.ports
    val log = deps.log
    val state = reset?.state ?: State(newId())
    val port: Storage = ports.storage ?: MemoryStorage()
    private val limiter = Limiter(scope, deps.threads.io)
    val storage: OrderedStorage =
        reset?.storage
            ?: OrderedStorage(port, prefix, scope, limiter) { log.error("Writing failed, and is tried again: $it") }

    /** Why the service refuses the key, or null. */
    var keyRefusal: String? = null

    /** Why the storage cannot be read, or null. */
    var storageFault: String? = null
    val api = Api(deps.config, ports.http, ports.now, limiter) { keyRefusal = it }

    /** False after `reset` and `shutdown`: answers that arrive later change nothing. */
    var isOpen = true

    /** Whether the stored state is known. */
    var isLoaded = reset?.storage != null

    val referrerTimeoutMs get() = deps.config.referrerTimeoutMs
    val consent get() = state.consent ?: deps.config.consent
    val mayRecord
        get() =
            isOpen &&
                isLoaded &&
                !state.isErased &&
                (consent == Consent.GRANTED || consent == Consent.DETERMINISTIC_ONLY)

    /** Changes of the consent so far. */
    private var consentChanges = 0

    fun setConsent(value: Consent) {
        if (value != consent) consentChanges++
        state.consent = value
    }

    /**
     * The last wait before a request leaves.
     * @return false if it may not leave any more: what it tells is to be made again, by the consent of now.
     */
    suspend fun isSameAfter(wait: suspend () -> Unit): Boolean {
        val before = consentChanges
        val mayRecord = mayRecord
        wait()
        return isOpen && before == consentChanges && mayRecord == this.mayRecord
    }

    fun now(): Long = ports.now()

    /** Of this process alone. */
    fun uptime(): Long = ports.uptime()

    /** Of a request that is about to leave. */
    fun sentAt(): String = isoTime(now())

    fun newId(): String = deps.newId()

    fun save() {
        if (isOpen) storage.set(STATE_KEY) { state.toJson() }
    }

    /** @return null if the port fails or takes too long. */
    suspend fun <T : Any> read(name: String, port: (suspend () -> T?)?, timeoutMs: Long = PORT_TIMEOUT_MS): T? {
        if (port == null) return null
        return when (val result = limiter.within(timeoutMs, port)) {
            is Limited.Value -> result.value
            is Limited.Failed -> null.also { log.warn("Reading the $name failed: ${result.cause}") }
            is Limited.TooLate -> null.also { log.warn("Reading the $name took too long") }
        }
    }

    /** Of this app, whatever the consent: it stays on the phone. Null until it was read. */
    var app: Fingerprint? = null
        private set

    private val appReading by lazy { scope.async { readDevice() } }

    /** Returns once the device was read, or does not answer. */
    suspend fun readApp() {
        if (app == null) appReading.await()
    }

    suspend fun readDevice(): Fingerprint {
        val full = read("device", ports.device?.let { it::read }) ?: Fingerprint(Platform.ANDROID)
        return full.also { app = it }
    }

    /** The fields about the device in a call that records, as far as the person agrees now. */
    fun fieldsOf(device: Fingerprint): JsonObject {
        if (consent == Consent.GRANTED) return mapOf("fingerprint" to toMap(device, ports.sdk, log))
        return mapOf("fingerprint" to toMap(Fingerprint(device.platform), ports.sdk, log), "deterministicOnly" to true)
    }
}

/** A UUID of version 4. */
private fun randomId(random: () -> Double): String {
    val digits = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".map { kind ->
        val digit = (random() * 16).toInt()
        when (kind) {
            'x' -> digit.digitToChar(16)
            'y' -> (digit and 3 or 8).digitToChar(16)
            else -> kind
        }
    }
    return digits.joinToString("")
}

/** What the service would refuse is left out: it would keep the call from being recorded. */
private fun toMap(fingerprint: Fingerprint, sdk: String, log: Log): JsonObject =
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
            "sdkVersion" to sdk,
        )
        .filter { (name, value) ->
            when (value) {
                // The service cuts it.
                is String -> log.isTaken(name, value, if (name == "userAgent") Int.MAX_VALUE else MAX_DEVICE_CHARACTERS)
                is Number -> abs(value.toDouble()) <= MAX_DEVICE_SIZE
                else -> false
            }
        }
