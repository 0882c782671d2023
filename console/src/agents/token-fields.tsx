import { useId } from "react";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { tokenText } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { firstFault } from "./draft-form.ts";
import { acceptedIn, currencies, hasTokenChoice, keyOf, tokensOf } from "./sale-tokens.ts";
import type { ServiceFormApi } from "./service-form-api.ts";

/** The currency of the price, and the tokens that pay it. Nothing shows if the installation has one token. */
export function TokenFields({ form, refusalOf }: Pick<ServiceFormApi, "form" | "refusalOf">) {
  if (!hasTokenChoice) return null;
  return (
    <>
      <form.Field name="price_currency">
        {({ state, handleChange }) => (
          <ChoiceField
            label={i18n.t("Currency")}
            value={state.value}
            onChange={(currency) => {
              handleChange(currency);
              form.setFieldValue("accepts", (accepts) => acceptedIn(currency, accepts));
            }}
            error={refusalOf("price_currency", state.value)}
            choices={[...new Set([...currencies, state.value])].map((currency) => [currency, currency])}
          />
        )}
      </form.Field>
      <form.Subscribe selector={({ values }) => values.price_currency}>
        {(currency) => (
          <form.Field name="accepts">
            {({ state, handleChange }) => (
              <Tokens
                currency={currency}
                accepts={state.value}
                error={firstFault(state.meta.errors) ?? refusalOf("accepts", state.value)}
                onChange={handleChange}
              />
            )}
          </form.Field>
        )}
      </form.Subscribe>
    </>
  );
}

/** A checkbox for each token: the accepted ones in the provider's order, then the others. */
function Tokens({
  currency,
  accepts,
  error,
  onChange,
}: {
  currency: string;
  accepts: string[];
  error: string | null;
  onChange: (accepts: string[]) => void;
}) {
  const id = useId();
  const tokens = tokensOf(currency);
  const placeOf = (key: string) => (accepts.includes(key) ? accepts.indexOf(key) : accepts.length);
  const shown = tokens
    .map((each) => ({ key: keyOf(each), text: tokenText(each.token.symbol, each.chain.chain_id) }))
    .sort((a, b) => placeOf(a.key) - placeOf(b.key));
  return (
    <fieldset className="tokens">
      <legend>{i18n.t("Accepted tokens")}</legend>
      <p className="quiet" id={`${id}-help`}>
        {i18n.t("Buyers pay the price one for one in a token that you accept.")}
      </p>
      {shown.map(({ key, text }) => (
        <div key={key} className="token">
          <label className="check">
            <input
              type="checkbox"
              checked={accepts.includes(key)}
              aria-describedby={error ? `${id}-error` : `${id}-help`}
              aria-invalid={error !== null || undefined}
              onChange={({ target }) =>
                onChange(target.checked ? [...accepts, key] : accepts.filter((each) => each !== key))
              }
            />
            <span>{text}</span>
          </label>
          {accepts.length > 1 && accepts[0] === key && <Chip>{i18n.t("Preferred")}</Chip>}
          {accepts.indexOf(key) > 0 && (
            <Button
              variant="bare"
              size="small"
              aria-label={i18n.t("Prefer {token}", { token: text })}
              onPress={() => onChange([key, ...accepts.filter((each) => each !== key)])}
            >
              {i18n.t("Prefer")}
            </Button>
          )}
        </div>
      ))}
      {error && (
        <p className="wrong" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
