import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { DeviceSignInRequest } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { i18n } from "../text/i18n.ts";
import { clientOf } from "./client.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { proveWallet } from "./sign-in.ts";
import { signInMethods } from "./sign-in-methods.ts";

/** Approves or refuses the sign-in of another device, with the wallet of this one. */
export function LinkPage() {
  const { request } = useSearch({ from: "/link" });
  return (
    <div className="sign-in">
      <Page
        title={i18n.t("Sign in another device")}
        intro={i18n.t("You approve the sign-in with the wallet of this device.")}
      >
        {request === undefined ? <Typed /> : <Linked key={request} link={request} />}
      </Page>
    </div>
  );
}

/** Opens a scanned link. Its code is used without typing only on the network of the other device. */
function Linked({ link }: { link: string }) {
  const opened = useQuery({
    queryKey: ["device-link", link],
    queryFn: async () => await clientOf(null).auth.device.openLink({ link_code: link }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={opened}>
      {({ user_code }) =>
        user_code === null ? (
          <>
            <p className="note">
              {i18n.t(
                "The other device is on a different network than this one. Type the code that its screen shows.",
              )}
            </p>
            <Typed />
          </>
        ) : (
          <Request code={user_code} />
        )
      }
    </Loaded>
  );
}

/** Asks for the code that the other screen shows. No link fills it in. */
function Typed() {
  const [typed, setTyped] = useState("");
  const [code, setCode] = useState<string | null>(null);
  if (code !== null) return <Request key={code} code={code} />;
  const open = (event: FormEvent) => {
    event.preventDefault();
    setCode(typed.trim().toUpperCase());
  };
  return (
    <form onSubmit={open} className="card">
      <TextField
        label={i18n.t("Code on the other screen")}
        help={[
          i18n.t("The other device shows it under “Use a wallet on another device”."),
          i18n.t("Type a code only from a screen in front of you, never one that somebody sent you."),
        ].join(" ")}
        value={typed}
        onChange={setTyped}
        isRequired
      />
      <div className="buttons">
        <Button type="submit" variant="primary">
          {i18n.t("Continue")}
        </Button>
      </div>
    </form>
  );
}

function Request({ code }: { code: string }) {
  const request = useQuery({
    queryKey: ["device-request", code],
    queryFn: async () => await clientOf(null).auth.device.get({ user_code: code }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Loaded query={request}>{(found) => <Answer request={found} />}</Loaded>;
}

/** Shows what asks for the sign-in. A wallet approves it by its signature; a refusal needs none. */
function Answer({ request }: { request: DeviceSignInRequest }) {
  const { user_code, device, network, is_same_network, created_at } = request;
  const { device: requests } = clientOf(null).auth;
  const approving = useMutation({
    mutationFn: async (open: () => Promise<ConsoleWallet>) =>
      await requests.approve(await proveWallet(await open(), { userCode: user_code })),
  });
  const refusing = useMutation({ mutationFn: async () => await requests.refuse({ user_code }) });
  if (approving.data) {
    return (
      <p className="note" role="status">
        {i18n.t("The other device is signed in as {address}. You can close this page.", {
          address: approving.data.address,
        })}
      </p>
    );
  }
  if (refusing.data) {
    return (
      <p className="note" role="status">
        {i18n.t("You refused the sign-in. The other device stays signed out.")}
      </p>
    );
  }
  return (
    <>
      <LabelledValues
        rows={[
          [i18n.t("Code"), <code key="code">{user_code}</code>],
          [i18n.t("Device"), device ?? i18n.t("Unknown browser")],
          [i18n.t("Network"), network ?? i18n.t("Unknown")],
          [i18n.t("Requested"), <Time key="time" at={created_at} isRelative />],
        ]}
      />
      <p className="note">
        {i18n.t(
          "Approve only if you see this code on a screen in front of you. The device that shows it gets access to your account. Refuse a code that somebody sent you.",
        )}
      </p>
      {!is_same_network && (
        <p className="note">
          {i18n.t("The other device is on a different network than this one. Check that it is yours.")}
        </p>
      )}
      <h2>{i18n.t("Approve the sign-in")}</h2>
      <div className="ways">
        {signInMethods.map(({ id, Part }) => (
          <Part key={id} isPending={approving.isPending} onChoose={approving.mutate} />
        ))}
      </div>
      <p className="quiet">{i18n.t("On a phone, open this page in the browser of your wallet app.")}</p>
      {approving.error && <ProblemNote error={approving.error} />}
      {refusing.error && <ProblemNote error={refusing.error} />}
      <Button isPending={refusing.isPending} onPress={() => refusing.mutate()}>
        {i18n.t("Refuse")}
      </Button>
    </>
  );
}
