import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** One way to sign in: what it is, in one line, and its buttons. */
export function Way({
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
    <section className="way" aria-label={title}>
      <Icon size={20} aria-hidden />
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
        {children}
      </div>
    </section>
  );
}
