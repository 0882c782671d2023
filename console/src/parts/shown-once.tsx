import { Button } from "./button.tsx";
import { announce } from "./notices.tsx";

/** A secret that the service shows once: it is here until its reader has it, and kept nowhere. */
export function ShownOnce({
  what,
  secret,
  onHide,
}: {
  /** as in `key` */
  what: string;
  secret: string;
  onHide: () => void;
}) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    announce(`The ${what} is copied.`);
  };
  return (
    <div className="note" role="status">
      <p>{`This is the ${what}. It is shown once: copy it now to where your program reads it.`}</p>
      <p>
        <code data-testid="secret">{secret}</code>
      </p>
      <div className="buttons">
        <Button onPress={copy}>Copy</Button>
        <Button onPress={onHide}>I have it</Button>
      </div>
    </div>
  );
}
