import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components/Button";

/** The look of a button: the page's main action, a normal one, one without an edge, and one that destroys. */
export type ButtonVariant = "primary" | "secondary" | "bare" | "danger";

/**
 * A button. While its action is pending, it keeps the focus and ignores presses.
 *
 * @param icon stands before the text; without children the button shows the icon alone and needs an `aria-label`
 */
export function Button({
  variant = "secondary",
  size = "normal",
  icon: Icon,
  className = "",
  isPending = false,
  type,
  onPress,
  children,
  ...rest
}: {
  onPress?: () => void;
  isPending?: boolean;
  isDisabled?: boolean;
  type?: "button" | "submit";
  variant?: ButtonVariant;
  size?: "small" | "normal" | "large";
  icon?: LucideIcon;
  className?: string;
  children?: ReactNode;
  autoFocus?: boolean;
  "aria-label"?: string;
  "aria-expanded"?: boolean;
}) {
  const classes = [
    variant,
    size,
    className,
    children === undefined ? "icon" : "",
    isPending ? "pending" : "",
  ];
  // React Aria's own `isPending` announces a pending button by an image without a name as soon as the button is gone.
  return (
    <AriaButton
      {...rest}
      type={isPending ? "button" : type}
      aria-disabled={isPending || undefined}
      onPress={isPending ? undefined : onPress}
      className={classes.filter(Boolean).join(" ")}
    >
      {Icon && <Icon size={size === "small" ? 14 : 16} aria-hidden />}
      {children}
    </AriaButton>
  );
}
