package dev.throughline.test

import dev.throughline.Clipboard
import dev.throughline.Config
import dev.throughline.Consent
import dev.throughline.DeepLink
import dev.throughline.Device
import dev.throughline.ExistingUser
import dev.throughline.Fingerprint
import dev.throughline.Http
import dev.throughline.LinkSource
import dev.throughline.LogEntry
import dev.throughline.LogLevel
import dev.throughline.MetaReferrers
import dev.throughline.Platform
import dev.throughline.Ports
import dev.throughline.Referrer
import dev.throughline.SDK_VERSION
import dev.throughline.Storage
import dev.throughline.Threads
import dev.throughline.Throughline
import kotlin.random.Random
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay

internal const val BASE_URL = "https://go.example.com"
internal const val LINK = "$BASE_URL/l/spring"

/** A phone with the app, whose processes can be killed at any step. */
internal class FakePhone(val service: FakeService = FakeService()) {
    val time = VirtualTime()
    val stored = LinkedHashMap<String, String>()
    val delivered = mutableListOf<DeepLink>()

    /** `steps` at each delivery. */
    val deliveredAt = mutableListOf<Int>()
    val errors = mutableListOf<String>()

    /** At each line of the log. */
    var onNote: () -> Unit = {}

    /** Warnings and errors. */
    val log = mutableListOf<String>()

    /** By how much the clock of the phone is wrong. */
    var aheadMs = 0L

    /** Writes and requests so far. */
    var steps = 0

    /** The process ends before this step. */
    var killAt = Int.MAX_VALUE

    /** How long requests take. */
    var answerAfterMs = 0L

    /** How long a write takes. */
    var writtenAfterMs = 0L
    private var process = 0
    private val random = Random(1)

    /** Starts the app, and ends its earlier process. @param listens whether there is a listener from the start. */
    fun launch(
        listens: Boolean = true,
        key: String = "svc_live_pub_1",
        consent: Consent = Consent.GRANTED,
        firstOpenTimeoutMs: Long = 1_500,
        device: Device = Device { Fingerprint(Platform.ANDROID, deviceModel = "Pixel 9", appVersion = "1") },
        referrer: Referrer? = null,
        clipboard: Clipboard? = null,
        links: LinkSource? = null,
        storage: Storage? = null,
        isExistingUser: ExistingUser? = null,
        metaReferrer: MetaReferrers? = null,
        sdk: String = SDK_VERSION,
    ): Throughline {
        process++
        val client =
            Throughline(
                Config(BASE_URL, key, consent = consent, firstOpenTimeoutMs = firstOpenTimeoutMs, onLog = ::note),
                Ports(
                    storage ?: storageOf(process),
                    httpOf(process),
                    device,
                    referrer,
                    clipboard,
                    links,
                    listenerContext = time,
                    now = { time.now + aheadMs },
                    uptime = { time.now },
                    random = { random.nextDouble() },
                    isExistingUser = isExistingUser,
                    metaReferrer = metaReferrer,
                    sdk = sdk,
                ),
                Threads(time, time),
            )
        if (listens)
            client.onDeepLink {
                delivered += it
                deliveredAt += steps
            }
        time.await { client.start() }
        time.pass(0)
        return client
    }

    /** The system ends the process; what it still does reaches nothing. */
    fun kill() {
        process++
    }

    private fun httpOf(own: Int) = Http { request ->
        step(own)
        delay(answerAfterMs)
        service.answer(request).also { alive(own) }
    }

    private fun storageOf(own: Int) =
        object : Storage {
            override suspend fun get(key: String) = stored[key]

            override suspend fun set(key: String, value: String) {
                step(own)
                delay(writtenAfterMs)
                stored[key] = value
            }

            override suspend fun remove(key: String) {
                step(own)
                stored.remove(key)
            }
        }

    private suspend fun step(own: Int) {
        if (own == process && steps++ >= killAt) kill()
        alive(own)
    }

    private suspend fun alive(own: Int) {
        if (own != process) awaitCancellation()
    }

    private fun note(entry: LogEntry) {
        onNote()
        log += entry.message
        if (entry.level == LogLevel.ERROR) errors += entry.message
    }
}

/** URLs of the system. */
internal class FakeLinks(private val first: String? = null, private val launch: String? = "one") : LinkSource {
    private val listeners = mutableSetOf<(String) -> Unit>()

    override suspend fun initial() = first

    override fun launchId() = launch

    override fun subscribe(listener: (String) -> Unit): AutoCloseable {
        listeners += listener
        return AutoCloseable { listeners -= listener }
    }

    fun tap(url: String) = listeners.forEach { it(url) }
}
