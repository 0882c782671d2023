// Ponder's loader is Vite, which would watch every file below this folder, the database's own among them.
export default { server: { watch: null } };
