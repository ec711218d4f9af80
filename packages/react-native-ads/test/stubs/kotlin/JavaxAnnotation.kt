// By JSR 305.
package javax.annotation

annotation class Nonnull

annotation class Nullable
