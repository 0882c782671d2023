# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.
