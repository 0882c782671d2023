import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** A method to sign in, with one line of text and its buttons. */
export function SignInMethod({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="sign-in-method" aria-label={title}>
      <Icon size={20} aria-hidden />
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
        {children}
      </div>
    </section>
  );
}
