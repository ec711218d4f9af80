// By React Native's own sources.
package com.facebook.proguard.annotations

annotation class DoNotStrip
