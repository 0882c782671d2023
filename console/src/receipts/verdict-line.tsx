import { ShieldAlert, ShieldCheck } from "lucide-react";

/** The verdict on a signed document, in one sentence. */
export function VerdictLine({ isGood, children }: { isGood: boolean; children: string }) {
  const Icon = isGood ? ShieldCheck : ShieldAlert;
  return (
    <p className="status verdict" role="status" data-good={isGood}>
      <Icon size={20} aria-hidden />
      {children}
    </p>
  );
}
