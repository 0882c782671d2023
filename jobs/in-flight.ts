/** Pieces of work that a process has under way side by side. A failure of one ends no other. */
export function createUnderWay<Piece>(
  act: (piece: Piece) => Promise<void>,
  { failed, left = () => {} }: { failed(error: unknown, piece: Piece): void; left?(piece: Piece): void },
) {
  const parts = new Map<Promise<void>, Piece>();
  return {
    begin(piece: Piece): void {
      const part = act(piece)
        .catch((error: unknown) => failed(error, piece))
        .finally(() => {
          parts.delete(part);
          left(piece);
        });
      parts.set(part, piece);
    },
    pieces: (): Piece[] => [...parts.values()],
    /** Returns when all that is under way has ended. */
    async ended(): Promise<void> {
      await Promise.all(parts.keys());
    },
  };
}
