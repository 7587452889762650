import { servesOverHttp } from './mcp/serves-over-http.js';
import { servesOverPipes } from './mcp/serves-over-pipes.js';

servesOverPipes('2025-11-25');
servesOverHttp('2025-11-25');
