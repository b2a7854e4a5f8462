-- The rounds in which workers remove old models and jobs.
INSERT INTO periodic_tasks (task) VALUES ('expire_models'), ('expire_jobs');
