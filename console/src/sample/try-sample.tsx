import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ListedService } from "earnest-client";
import { FlaskConical } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { signIn } from "../session/sign-in.ts";
import { defaultToken, settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { startSampleWallet } from "./sample-wallet.ts";

/** The tokens of a new sample wallet. */
const budget = 100n;

/**
 * Signs in with a sample wallet on a local chain. Elsewhere, there is no button.
 *
 * @param services where the first order may be placed; without them the page stays
 */
export function TrySample({
  services,
  size = "normal",
  className,
}: {
  services?: readonly ListedService[];
  size?: "normal" | "large";
  className?: string;
}) {
  const navigate = useNavigate();
  const trying = useMutation({
    mutationFn: async () => signIn(await startSampleWallet()),
    onSuccess: () => {
      const service = services?.find(isAffordable);
      if (!service) return;
      const params = { agent: service.agent.slug, service: service.slug };
      void navigate({ to: "/market/$agent/$service", params });
    },
  });
  if (!settings.demo) return null;
  return (
    <>
      <Button
        size={size}
        className={className}
        icon={FlaskConical}
        isPending={trying.isPending}
        onPress={() => trying.mutate()}
      >
        {services ? i18n.t("Try a sample order") : i18n.t("Use a sample wallet")}
      </Button>
      {trying.error && <ProblemNote error={trying.error} />}
    </>
  );
}

/** Tells whether an order of the service, at its least quantity, costs no more than a sample wallet has. */
function isAffordable(service: ListedService): boolean {
  const { available, pricing_model: model, price_base_units: price, min_quantity: least } = service;
  if (!available || price === null || defaultToken === undefined) return false;
  if (model !== "fixed" && model !== "per_unit") return false;
  return BigInt(price) * BigInt(least) <= budget * 10n ** BigInt(defaultToken.decimals);
}
