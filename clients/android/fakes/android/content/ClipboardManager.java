package android.content;

import fakes.FakePhone;

/** A fake for tests. */
public class ClipboardManager {
    public ClipDescription getPrimaryClipDescription() {
        return FakePhone.get().clipboard == null ? null : new ClipDescription();
    }

    public ClipData getPrimaryClip() {
        FakePhone phone = FakePhone.get();
        phone.clipboardReads++;
        return phone.clipboard == null ? null : new ClipData();
    }
}
