import { createRoute, z } from "@hono/zod-openapi";
import { sql, sum } from "../../db/drizzle.ts";
import { offerTally } from "../../db/schema.ts";
import type { Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { shownSlug } from "../http/fields.ts";
import { jsonResponse } from "../http/openapi.ts";
import { type Category, categories, withSubcategories } from "../services/category-tree.ts";
import type { App } from "../variables.ts";

const categoryFields = {
  slug: shownSlug.openapi({ example: "translation" }),
  title: z.string().openapi({ example: "Translation" }),
  description: z.string(),
  service_count: z
    .int()
    .openapi({ description: "the number of published services in it and its subcategories" }),
};
const categoriesSchema = z
  .object({
    items: z.array(
      z
        .object({
          ...categoryFields,
          children: z.array(z.object(categoryFields).openapi("Subcategory")),
        })
        .openapi("Category"),
    ),
  })
  .openapi("Categories");

/** Adds the public route of the category tree. */
export function addCategories(app: App, context: Context): void {
  const { answers } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/categories",
      operationId: "listCategories",
      tags: ["marketplace"],
      summary: "List the categories with the number of services in each",
      description: "All categories, also empty ones. A service may name a category of either level.",
      middleware: answers.serve,
      request: { headers: ifNoneMatchHeader },
      responses: {
        200: jsonResponse("Categories, in the order of the tree", categoriesSchema),
        ...notModified,
      },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const counted = await from
          .select({ category: offerTally.category, services: sql<number>`${sum(offerTally.services)}::int` })
          .from(offerTally)
          .groupBy(offerTally.category);
        const countOf = new Map(counted.map(({ category, services }) => [category, services]));
        const present = ({ slug, title, description }: Category) => ({
          slug,
          title,
          description,
          service_count: withSubcategories(slug).reduce((total, name) => total + (countOf.get(name) ?? 0), 0),
        });
        const items = categories
          .filter(({ parent }) => parent === null)
          .map((root) => ({
            ...present(root),
            children: categories.filter(({ parent }) => parent === root.slug).map(present),
          }));
        return { shown: { items } };
      }),
  );
}
