/** For callers without coroutines; all are called on the main thread, and what they throw is an error of the log. */
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

/** Called on a background thread. */
public fun interface ExistingUserCheck {
    public fun isExistingUser(): Boolean
}

public interface CreateLinkCallback {
    public fun onCreated(link: CreatedLink)

    /** @param cause whose `code` says why there is no link, and whose message what to do. */
    public fun onFailed(cause: LinkException)
}
