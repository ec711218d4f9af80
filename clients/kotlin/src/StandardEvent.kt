/** Events whose names networks know. */
package dev.throughline

/** An event for `track`. */
public class StandardEvent
internal constructor(
    public val name: String,
    public val properties: JsonObject? = null,
    public val revenue: Revenue? = null,
)
