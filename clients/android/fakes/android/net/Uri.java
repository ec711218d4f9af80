package android.net;

/** A fake for tests. */
public class Uri {
    private final String text;

    private Uri(String text) {
        this.text = text;
    }

    public static Uri parse(String text) {
        return new Uri(text);
    }

    @Override
    public String toString() {
        return text;
    }

    public static final class Builder {
        private String scheme;
        private String authority;
        private final StringBuilder path = new StringBuilder();

        public Builder scheme(String scheme) {
            this.scheme = scheme;
            return this;
        }

        public Builder authority(String authority) {
            this.authority = authority;
            return this;
        }

        public Builder appendPath(String segment) {
            path.append('/').append(segment);
            return this;
        }

        public Uri build() {
            return new Uri(scheme + "://" + authority + path);
        }
    }
}
