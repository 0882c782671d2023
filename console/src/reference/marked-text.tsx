/** A text of the API's description. Words between backticks become code. */
export function MarkedText({ children: text }: { children: string }) {
  return (
    <>
      {text.split("`").map((part, at) =>
        at % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant text never change places
          <code key={at}>{part}</code>
        ) : (
          part
        ),
      )}
    </>
  );
}
