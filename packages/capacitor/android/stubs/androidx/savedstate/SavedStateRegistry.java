package androidx.savedstate;

import android.os.Bundle;

/** A stub, by androidx/savedstate/api/current.txt. */
public final class SavedStateRegistry {
    public Bundle consumeRestoredStateForKey(String key) {
        throw new UnsupportedOperationException("stub");
    }

    public void registerSavedStateProvider(String key, SavedStateProvider provider) {
        throw new UnsupportedOperationException("stub");
    }

    public interface SavedStateProvider {
        Bundle saveState();
    }
}
