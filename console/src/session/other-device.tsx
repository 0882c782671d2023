import { useMutation, useQuery } from "@tanstack/react-query";
import type { DeviceSignIn, DeviceSignInPoll, DeviceSignInStatus } from "earnest-client";
import { QrCode as QrCodeIcon, Smartphone } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { i18n } from "../text/i18n.ts";
import { sessionClient } from "./client.ts";
import { QrCode } from "./qr-code.tsx";
import { beginSession } from "./session.ts";
import { SignInMethod } from "./sign-in-method.tsx";

/** Signs this browser in with the wallet of another device, which scans a code. */
export function OtherDevice() {
  const asking = useMutation({ mutationFn: async () => await sessionClient.auth.device.create() });
  return (
    <SignInMethod
      icon={Smartphone}
      title={i18n.t("Another device")}
      text={i18n.t("Scan a code with the phone that has your wallet, and approve the sign-in there.")}
    >
      {asking.data ? (
        <Codes key={asking.data.user_code} codes={asking.data} onRestart={asking.mutate} />
      ) : (
        <div className="buttons">
          {/* Not `isPending`: the button leaves the page, and its announcement would lose its name. */}
          <Button icon={QrCodeIcon} isDisabled={asking.isPending} onPress={() => asking.mutate()}>
            {i18n.t("Use a wallet on another device")}
          </Button>
        </div>
      )}
      {asking.error && <ProblemNote error={asking.error} />}
    </SignInMethod>
  );
}

/** Shows the codes, and asks until the other device has answered. */
function Codes({ codes, onRestart }: { codes: DeviceSignIn; onRestart: () => void }) {
  const { data: polled } = useQuery<DeviceSignInPoll>({
    queryKey: ["device-sign-in", codes.user_code],
    queryFn: async () => {
      const answer = await sessionClient.auth.device.poll({ device_code: codes.device_code });
      if (answer.current) beginSession(answer.current);
      return answer;
    },
    initialData: { status: "pending", interval: codes.interval, current: null },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) => (data && isOpen(data.status) ? data.interval * 1000 : false),
    refetchIntervalInBackground: true,
  });
  const { status } = polled;
  if (!isOpen(status)) {
    return (
      <div className="note" role="status">
        <p>
          {status === "refused"
            ? i18n.t("The other device refused this sign-in.")
            : i18n.t("This code has expired.")}
        </p>
        <Button onPress={onRestart}>{i18n.t("Get a new code")}</Button>
      </div>
    );
  }
  return (
    <>
      <p>
        {i18n.t(
          "Scan this code with your phone, or open {url} in your wallet's browser. Then compare the code:",
          {
            url: codes.url.replace(/\?.*/, ""),
          },
        )}
      </p>
      <QrCode text={codes.url} label={i18n.t("QR code for your phone")} />
      <p>
        <strong>
          <code>{codes.user_code}</code>
        </strong>
      </p>
      <p role="status">{i18n.t("Waiting for the other device… The code is valid for 10 minutes.")}</p>
    </>
  );
}

const isOpen = (status: DeviceSignInStatus): boolean => status === "pending" || status === "slow_down";
