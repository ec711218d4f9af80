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

    /** The caller saves the state. */
    fun add(link: DeepLink) {
        waiting += WaitingLink(session.now(), link)
        if (waiting.size > MAX_LINKS) waiting.removeAt(0)
        deliver()
    }

    /** Calls the listeners. A link leaves the storage after they have it. */
    fun deliver() {
        if (delivering?.isActive == true) return
        delivering = session.scope.launch {
            while (session.isOpen && listeners.isNotEmpty()) {
                val next = waiting.firstOrNull() ?: break
                val isOld = !isWithin(MAX_AGE_MS, session.now(), next.at)
                // A listener may have gone, and another one come, meanwhile.
                if (!isOld && !withContext(session.ports.listenerContext) { callListeners(next.link) }) continue
                waiting.remove(next)
                session.save()
            }
        }
    }

    /** A caller has the link. */
    fun remove(url: String) {
        waiting.removeAll { it.link.url == url }
        session.save()
    }

    /** @return false if nobody listens. */
    private fun callListeners(link: DeepLink): Boolean {
        val listeners = listeners.toList()
        for (listener in listeners)
            try {
                session.log.debug("Delivering ${link.path}")
                listener(link)
            } catch (cause: Exception) {
                session.log.error("A listener of onDeepLink failed: $cause")
            }
        return listeners.isNotEmpty()
    }
}
