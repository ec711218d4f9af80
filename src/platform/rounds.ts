/**
 * Shares what many ask for at once. Whoever asks while an answer is on its way gets the next one, which begins after
 * that: nobody is told what was true before they asked.
 */
export function inRounds<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  function begin(): Promise<T> {
    const round = ask().finally(() => {
      if (underWay === round) underWay = null;
    });
    underWay = round;
    return round;
  }
  function beginNext(): Promise<T> {
    next = null;
    return begin();
  }
  return () => {
    if (underWay === null) return begin();
    next ??= underWay.then(beginNext, beginNext);
    return next;
  };
}
