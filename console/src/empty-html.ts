type Policies = {
  trustedTypes?: {
    createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
  };
};

// React Aria empties its announcements by an empty HTML text. The browser refuses every other text as HTML.
(globalThis as Policies).trustedTypes?.createPolicy("default", {
  createHTML: (text) => (text === "" ? "" : null),
});
