import type { ReactNode } from "react";

/** A button. While its action is pending, it keeps the focus and ignores presses. */
export function Button({
  onPress,
  isPending = false,
  isDisabled = false,
  type = "button",
  className,
  children,
  "aria-label": label,
}: {
  onPress?: () => void;
  isPending?: boolean;
  isDisabled?: boolean;
  type?: "button" | "submit";
  className?: string;
  children: ReactNode;
  "aria-label"?: string;
}) {
  return (
    <button
      type={type}
      className={className}
      disabled={isDisabled}
      aria-label={label}
      aria-disabled={isPending || undefined}
      aria-busy={isPending || undefined}
      onClick={(event) => {
        if (isPending) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
}
