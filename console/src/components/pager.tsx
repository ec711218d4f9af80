/** To the next and the previous page of a list whose length is not known. */
export function Pager({
  page,
  isLast,
  onPick,
}: {
  page: number;
  isLast: boolean;
  onPick: (page: number) => void;
}) {
  if (page === 1 && isLast) return null;
  return (
    <nav aria-label="Pages" className="flex items-center gap-2 pt-3">
      <button type="button" className="btn" disabled={page === 1} onClick={() => onPick(page - 1)}>
        Newer
      </button>
      <span className="meta">Page {page}</span>
      <button type="button" className="btn" disabled={isLast} onClick={() => onPick(page + 1)}>
        Older
      </button>
    </nav>
  );
}
