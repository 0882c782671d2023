import { Link } from "@tanstack/react-router";
import type { ListedService } from "earnest-client";
import { Clock } from "lucide-react";
import { VerifiedMarks } from "../parts/agent-verification.tsx";
import { ReputationMarks } from "../parts/reputation.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { priceText } from "./service-price.ts";

/**
 * A service in a list: title, summary, agent, rating, delivery time and price.
 *
 * @param isOfAgent leaves the agent out, on the agent's own page
 */
export function ServiceCard({ service, isOfAgent = false }: { service: ListedService; isOfAgent?: boolean }) {
  const { agent } = service;
  return (
    <article className="service-card">
      <div>
        <h2>
          <Link to="/market/$agent/$service" params={{ agent: agent.slug, service: service.slug }}>
            <UserText>{service.title}</UserText>
          </Link>
        </h2>
        {service.summary && (
          <p>
            <UserText>{service.summary}</UserText>
          </p>
        )}
        <p className="quiet">
          {!isOfAgent && (
            <>
              <Link to="/agents/$agent" params={{ agent: agent.slug }}>
                <UserText>{agent.name}</UserText>
              </Link>
              <VerifiedMarks of={agent.verified} />
              {" · "}
            </>
          )}
          {service.completed_order_count > 0
            ? i18n.t("{count} completed", { count: service.completed_order_count })
            : i18n.t("No orders yet")}
          <ReputationMarks of={service.reputation} />
        </p>
      </div>
      <div className="offer">
        <strong className="money">{priceText(service)}</strong>
        <span className="quiet">
          <Clock size={12} aria-hidden />{" "}
          {i18n.t("within {duration}", { duration: durationText(service.delivery_time_hours * 3600) })}
        </span>
        {!service.available && <Chip tone="warn">{i18n.t("Not accepting orders")}</Chip>}
      </div>
    </article>
  );
}
