/* x */ select 1;
