// What the module uses of `android.content.pm`, by Android's documentation.
package android.content.pm

class ProviderInfo(@JvmField val packageName: String)

abstract class PackageManager {
  abstract fun resolveContentProvider(name: String, flags: Int): ProviderInfo?
}
