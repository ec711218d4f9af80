package dev.throughline

import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

private const val MAX_LINKS = 20

/** Later the person has forgotten the tap. */
private const val MAX_AGE_MS = 86_400_000L

/** Links on their way to the listeners of the app; they wait for the first one. */
internal class WaitingLinks(private val session: Session, private val listeners: Set<(DeepLink) -> Unit>) {
    private val waiting = session.state.waiting
    private var delivering: Job? = null

    /** Until it is known whether a URL started the app. */
    private var isDeferredHeld = true

    /** Whether a URL opened the app, whose screen a deferred link must not replace; `firstOpen` has it. */
    @Volatile private var isOpened = false

    /** The caller saves the state. */
    fun add(link: DeepLink) {
        waiting += WaitingLink(session.now(), link, session.uptime())
        if (waiting.size > MAX_LINKS) waiting.removeAt(0)
        deliver()
    }

    /** Calls the listeners. A link leaves the storage after they have it. */
    fun deliver() {
        // Also those that came since, from the service or the storage.
        if (isOpened) removeDeferred()
        if (delivering?.isActive == true) return
        delivering = session.scope.launch {
            while (session.isOpen && listeners.isNotEmpty()) {
                val next = waiting.firstOrNull { !(it.link.isDeferred && isDeferredHeld) } ?: break
                if (next.link.minAppVersion.isNotEmpty() && session.app == null) {
                    session.readApp()
                    continue
                }
                val ageMs = next.since?.let { session.uptime() - it } ?: (session.now() - next.at)
                val isOld = ageMs >= MAX_AGE_MS
                // A listener may have gone, and another one come, meanwhile.
                val link = next.link.forVersion(session.app)
                if (!isOld && !withContext(session.ports.listenerContext) { callListeners(link) }) continue
                waiting.remove(next)
                session.save()
            }
        }
    }

    /** No URL started the app. */
    fun releaseDeferred() {
        isDeferredHeld = false
        deliver()
    }

    /** A URL opened the app. */
    fun removeDeferred() {
        isOpened = true
        if (waiting.removeAll { it.link.isDeferred }) session.save()
    }

    /** A caller has the link. */
    fun remove(url: String) {
        waiting.removeAll { it.link.url == url }
        session.save()
    }

    /** @return false if nobody listens. */
    private fun callListeners(link: DeepLink): Boolean {
        // The thread of the listeners may have been busy until a URL came.
        if (link.isDeferred && isOpened) return true
        val listeners = listeners.toList()
        for (listener in listeners)
            try {
                session.log.debug("Delivering ${link.path}")
                listener(link)
            } catch (cause: Throwable) {
                session.log.error("A listener of onDeepLink failed: $cause")
            }
        return listeners.isNotEmpty()
    }
}
