/** For callers without coroutines; all are called on the main thread. */
package dev.throughline.android

import dev.throughline.CreatedLink
import dev.throughline.DeepLink
import dev.throughline.LinkException

public fun interface Callback<T> {
    public fun onResult(result: T)
}

public fun interface LinkListener {
    public fun onLink(link: DeepLink)
}

public interface CreateLinkCallback {
    public fun onCreated(link: CreatedLink)

    /** @param cause whose `code` says why there is no link, and whose message what to do. */
    public fun onFailed(cause: LinkException)
}
