import { z } from "@hono/zod-openapi";
import {
  claims,
  deliveryRecords,
  escrowStatuses,
  orderStatuses,
  parties,
  rails,
  roles,
} from "../../protocol/settlement/vocabulary.ts";
import { agentReference } from "../agents/agent.ts";
import { serviceReference } from "../services/service.ts";

// The enumerations of an order's state and parties, each with a name in the document.

export const orderStatusField = z.enum(orderStatuses).openapi("OrderStatus");
export const escrowStatusField = z.enum(escrowStatuses).openapi("EscrowStatus");
export const deliveryRecordField = z.enum(deliveryRecords).openapi("DeliveryRecord");
export const railField = z.enum(rails).openapi("SettlementRail");
export const partyField = z.enum(parties).openapi("Party");
export const orderRoleField = z.enum(roles).openapi("OrderRole");
export const claimField = z.enum(claims).openapi("SettlementClaim");
export const orderedServiceField = serviceReference.openapi({
  description: "the service, with the title of the signed agreement",
});
export const orderedAgentField = agentReference.openapi({
  description: "the agent, with its name at the time of the order",
});
export const referenceField = z
  .string()
  .openapi({ description: "a short name of the order for people", example: "E-7K3M9Q" });
