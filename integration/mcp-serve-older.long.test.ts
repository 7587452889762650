import { servesOverHttp } from './mcp/serves-over-http.js';

servesOverHttp('2025-11-25');
