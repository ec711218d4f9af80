package dev.throughline

import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi

/**
 * @property own runs one coroutine at a time, so that the state needs no locks.
 * @property io runs the ports, which may block.
 */
internal class Threads(
    @OptIn(ExperimentalCoroutinesApi::class)
    val own: CoroutineDispatcher = Dispatchers.Default.limitedParallelism(1),
    val io: CoroutineContext = Dispatchers.IO,
)

internal class RunDeps(
    val config: Config,
    val ports: Ports,
    val links: LinkReader,
    val listeners: Set<(DeepLink) -> Unit>,
    val threads: Threads,
    val scope: CoroutineScope,
    val log: Log,
    val newId: () -> String,
)

internal suspend fun loadRun(deps: RunDeps): Run {
    val ports = deps.ports
    if (ports.storage == null)
        deps.log(LogLevel.WARN, "There is no storage, so every start of the app counts as an install. Pass `storage`.")
    val storage = orderWrites(deps, ports.storage ?: MemoryStorage())
    val stored = loadState(storage, deps)
    val limiter = Limiter(deps.scope, deps.threads.io)
    val session =
        Session(
            state = stored ?: State(deps.newId()),
            // What cannot be read must not be written over: it may be whole at the next start.
            storage = if (stored != null) storage else orderWrites(deps, MemoryStorage()),
            api = Api(deps.config.baseUrl, deps.config.key, ports.http, ports.now, limiter),
            scope = deps.scope,
            limiter = limiter,
            config = deps.config,
            ports = ports,
            isReadable = stored != null,
            log = deps.log,
            newId = deps.newId,
        )
    session.save()
    return Run(deps, session, openQueue(session), storage)
}

private fun orderWrites(deps: RunDeps, storage: Storage): OrderedStorage {
    // What a test key recorded is unknown to a live key: a phone that changes over is new to it.
    val prefix = if (isTestKey(deps.config.key)) "throughline.test." else "throughline."
    return OrderedStorage(storage, prefix, deps.scope, deps.threads.io) {
        deps.log(LogLevel.ERROR, "Writing to the storage failed: $it")
    }
}

/** @return null if the storage cannot be read. */
private suspend fun loadState(storage: OrderedStorage, deps: RunDeps): State? {
    val text =
        try {
            runCatching { storage.get(STATE_KEY) }.getOrElse { storage.get(STATE_KEY) }
        } catch (cause: Exception) {
            deps.log(LogLevel.ERROR, "The storage cannot be read; nothing is recorded until the next start: $cause")
            return null
        }
    if (text == null) return State(deps.newId())
    return readState(text)
        ?: State(deps.newId()).also {
            deps.log(LogLevel.ERROR, "The stored state is damaged; this start counts as a new install")
        }
}

private suspend fun openQueue(session: Session): EventQueue {
    val deps =
        object : EventQueue.Deps {
            override val storage = session.storage

            override fun now() = session.now()

            override fun onDropped(count: Int, reason: String) = session.noteDropped(count, reason)

            override fun moveFirstChunk(chunk: Int) {
                session.state.firstChunk = chunk
                session.save()
            }
        }
    return try {
        openEventQueue(deps, session.state.firstChunk)
    } catch (cause: Exception) {
        session.log(LogLevel.ERROR, "Stored events cannot be read, and are lost: $cause")
        EventQueue(deps, session.state.firstChunk)
    }
}
