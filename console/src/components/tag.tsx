/** A filter that is on: a press removes it. */
export function Tag({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      className="tag min-h-7 max-w-full hover:bg-hover max-phone:min-h-(--control)"
      aria-label={`Remove the filter ${text}`}
      onClick={onRemove}
    >
      <span className="min-w-0 truncate" dir="auto">
        {text}
      </span>{' '}
      <span aria-hidden="true">×</span>
    </button>
  );
}
