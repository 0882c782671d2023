import { Button } from "./button.tsx";
import { announce } from "./toasts.tsx";

/** A secret that the service shows once. It is stored nowhere. */
export function ShownOnce({
  what,
  secret,
  onHide,
}: {
  /** such as `API key` */
  what: string;
  secret: string;
  onHide: () => void;
}) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    announce(`Copied the ${what}.`);
  };
  return (
    <div className="note" role="status">
      <p>{`Copy your ${what} now. You won't see it again.`}</p>
      <p>
        <code data-testid="secret">{secret}</code>
      </p>
      <div className="buttons">
        <Button onPress={copy}>Copy</Button>
        <Button onPress={onHide}>Done</Button>
      </div>
    </div>
  );
}
