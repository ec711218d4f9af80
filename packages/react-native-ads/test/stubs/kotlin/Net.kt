// What the module uses of `android.net`, by Android's documentation.
package android.net

class Uri private constructor(private val text: String) {
  override fun toString() = text

  companion object {
    @JvmStatic fun parse(uriString: String) = Uri(uriString)
  }
}
